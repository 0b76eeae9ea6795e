//! Sending an answer.

use std::{io, ops::Range, sync::Mutex};

use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{
    Content, Pace, World, lock,
    wire::{Body, Framing, Reply},
};

/// The most that is handed to a connection at once, bytes.
const BLOCK: u64 = 1 << 18;

pub(super) struct Sender<'a> {
    pub(super) stream: &'a mut TcpStream,
    pub(super) world: &'a Mutex<World>,
    /// Which request this answers.
    pub(super) seen: usize,
    pub(super) pace: Option<Pace>,
}

impl Sender<'_> {
    pub(super) async fn send(&mut self, reply: &Reply, is_head: bool) -> io::Result<()> {
        self.stream.write_all(reply.head().as_bytes()).await?;
        if is_head {
            return Ok(());
        }
        let most = reply.cut.map_or(u64::MAX, |(after, _)| after);
        match &reply.body {
            Body::Text(text) => {
                let end = text.len().min(usize::try_from(most).unwrap_or(usize::MAX));
                self.stream.write_all(&text.as_bytes()[..end]).await
            }
            Body::Part(content, range) => {
                let end = range.end.min(range.start.saturating_add(most));
                lock(self.world).begin();
                let sent = self.part(content, range.start..end, reply.framing).await;
                lock(self.world).busy -= 1;
                sent?;
                if reply.cut.is_none() { self.write(reply.framing, &[]).await } else { Ok(()) }
            }
        }
    }

    async fn part(&mut self, content: &Content, range: Range<u64>, framing: Framing) -> io::Result<()> {
        let mut at = range.start;
        while at < range.end {
            let count = self.some(content, at..range.end, framing).await?;
            at += count as u64;
            lock(self.world).seen[self.seen].sent += count as u64;
            if let Some(pace) = self.pace {
                tokio::time::sleep(pace.pause).await;
            }
        }
        Ok(())
    }

    /// Sends the first of these bytes, and returns how many went.
    async fn some(&mut self, content: &Content, range: Range<u64>, framing: Framing) -> io::Result<usize> {
        let left = range.end - range.start;
        #[cfg(target_os = "linux")]
        if let (Some(file), Framing::Length, None) = (content.file(), framing, self.pace) {
            return self.send_file(file, content.place(range.start, left)).await;
        }
        let bytes = content.at(range.start, left.min(self.pace.map_or(BLOCK, |pace| pace.bytes as u64)));
        self.write(framing, bytes).await?;
        Ok(bytes.len())
    }

    /// The same from a file and without a copy, as web servers do: this one shares its processors with who is timed.
    #[cfg(target_os = "linux")]
    async fn send_file(&self, file: &std::fs::File, place: Range<usize>) -> io::Result<usize> {
        loop {
            self.stream.writable().await?;
            let mut at = place.start as u64;
            let step = || Ok(rustix::fs::sendfile(&*self.stream, file, Some(&mut at), place.len())?);
            match self.stream.try_io(tokio::io::Interest::WRITABLE, step) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => return sent,
            }
        }
    }

    /// Some bytes of a body; none are its end.
    async fn write(&mut self, framing: Framing, bytes: &[u8]) -> io::Result<()> {
        let stream = &mut *self.stream;
        if framing != Framing::Chunks {
            return stream.write_all(bytes).await;
        }
        stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
        stream.write_all(bytes).await?;
        stream.write_all(b"\r\n").await
    }
}
