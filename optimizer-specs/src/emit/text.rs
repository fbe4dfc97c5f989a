//! Source text under construction: lines, indented by four spaces a block.

/// Where emitters break a line that they can break.
pub(crate) const LONGEST_LINE: usize = 110;

/// Lines of source.
#[derive(Debug, Default)]
pub(crate) struct Text {
    text: String,
    level: usize,
    /// Whether an empty line is due before the next one.
    gap: bool,
}

impl Text {
    /// One line; an empty one stays empty.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if std::mem::take(&mut self.gap) {
            self.text.push('\n');
        }
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.level));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// An empty line before the next one; not at the beginning or the end of a block.
    pub fn gap(&mut self) {
        self.gap = !self.text.is_empty() && !self.text.ends_with("{\n");
    }

    /// A line that begins a block.
    pub fn open(&mut self, head: impl AsRef<str>) {
        self.line(head);
        self.level += 1;
    }

    /// Ends a block with a line.
    pub fn close(&mut self, tail: impl AsRef<str>) {
        self.level = self.level.saturating_sub(1);
        self.gap = false;
        self.line(tail);
    }

    /// Ends a block and begins another: `} else {`.
    pub fn turn(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.level += 1;
    }

    /// The text so far.
    pub fn finish(self) -> String {
        self.text
    }
}
