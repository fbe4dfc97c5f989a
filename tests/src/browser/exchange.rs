//! Messages to the page and back, over HTTP on loopback.
//!
//! The page posts the answer to the last task and takes the next one from the response. One answer is awaited at a time, and
//! never longer than a time limit.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tiny_http::{Header, Request, Response, Server};

const DOCUMENT: &str = include_str!("../../browser/page.html");
const SCRIPT: &str = include_str!("../../browser/page.js");

/// A text and some words; on the wire the length of the text, the text, and the words, all little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What is asked or answered.
    pub text: Value,
    /// Contents of buffers.
    pub words: Vec<u32>,
}

/// The server that the page talks to.
pub struct Exchange {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    posts: Receiver<(Request, Vec<u8>)>,
    /// The page, where it awaits its next task.
    waiting: Option<Request>,
}

impl Exchange {
    /// Listens on a free port.
    pub fn listen() -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a port on loopback"));
        let (sender, posts) = channel();
        let listening = Arc::clone(&server);
        let thread = std::thread::spawn(move || {
            for mut request in listening.incoming_requests() {
                match request.url() {
                    "/" => document(request, DOCUMENT, "text/html"),
                    "/page.js" => document(request, SCRIPT, "text/javascript"),
                    "/answer" => {
                        let mut body = Vec::new();
                        // A page that is gone before it has sent everything has not answered.
                        if request.as_reader().read_to_end(&mut body).is_ok() && sender.send((request, body)).is_err() {
                            return;
                        }
                    }
                    _ => drop(request.respond(Response::empty(404))),
                }
            }
        });
        Self { server, thread: Some(thread), posts, waiting: None }
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://{}/", self.server.server_addr())
    }

    /// Sends a task. The page has answered the last one.
    pub fn send(&mut self, task: &Message) {
        let page = self.waiting.take().expect("a page that awaits a task");
        // Where the page is gone, the answer is missed.
        drop(page.respond(Response::from_data(task.to_bytes())));
    }

    /// The next answer, if it comes in time.
    pub fn receive(&mut self, limit: Duration) -> Option<Message> {
        match self.posts.recv_timeout(limit) {
            Ok((page, body)) => {
                self.waiting = Some(page);
                Some(Message::from_bytes(&body))
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the server has stopped"),
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            // Should it have panicked, what came of that has been seen.
            drop(thread.join());
        }
    }
}

fn document(request: Request, text: &str, kind: &str) {
    let header = Header::from_bytes("Content-Type", format!("{kind}; charset=utf-8")).expect("a header");
    drop(request.respond(Response::from_string(text).with_header(header)));
}

impl Message {
    fn to_bytes(&self) -> Vec<u8> {
        let text = self.text.to_string();
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (length, rest) = bytes.split_first_chunk().expect("the length of a text");
        let (text, words) = rest.split_at(u32::from_le_bytes(*length) as usize);
        let text = serde_json::from_slice(text).expect("a text in JSON");
        let (words, []) = words.as_chunks() else { panic!("{} bytes of words", words.len()) };
        Self { text, words: words.iter().map(|&word| u32::from_le_bytes(word)).collect() }
    }
}
