//! Source text under construction: lines, indented by four spaces a block.

/// Lines of source.
#[derive(Debug, Default)]
pub(crate) struct Text {
    text: String,
    level: usize,
}

impl Text {
    /// One line; an empty one stays empty.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.level));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// An empty line, unless one stands there already or a block has just begun.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") && !self.text.ends_with("{\n") {
            self.text.push('\n');
        }
    }

    /// A line that begins a block.
    pub fn open(&mut self, head: impl AsRef<str>) {
        self.line(head);
        self.level += 1;
    }

    /// Ends a block with a line.
    pub fn close(&mut self, tail: impl AsRef<str>) {
        self.level = self.level.saturating_sub(1);
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
