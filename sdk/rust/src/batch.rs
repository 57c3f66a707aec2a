//! Several operations at once.

use crate::document::{Batch, BatchCall, BatchReplies, FetchRequest, FetchResponse, GenerateRequest, ModelResponse};
use crate::host::Status;
use crate::{Context, Decode, Encode, Error, Raw, Result};

/// The most calls that a host takes in one batch.
const MOST: usize = 32;

impl Context {
    /// Makes HTTP requests at once, see [`fetch`](Self::fetch). The results are in the order of the requests. The outer error says
    /// that none of the requests was made, or that the hook must return. New in version 1.1 of the ABI: with an older host, the
    /// error is [`Errno::ENOENT`](crate::Errno::ENOENT).
    ///
    /// ```
    /// # use agenthost::document::FetchResponse;
    /// # use agenthost::testing::{Reply, Test};
    /// # use agenthost::{Context, Description, Errno, FetchRequest, Plugin, Result, Update};
    /// #[derive(Default)]
    /// struct Warm;
    ///
    /// #[agenthost::plugin]
    /// impl Plugin for Warm {
    ///     fn describe() -> Description {
    ///         Description::new("warm", "1.0.0").capability("http.fetch", "It wakes the services that tools will need.")
    ///     }
    ///
    ///     fn before_agent(&self, ctx: &Context) -> Result<Update> {
    ///         let services = ["https://a.example/", "https://b.example/"];
    ///         let answers = ctx.fetch_all(services.map(FetchRequest::get))?;
    ///         let asleep = answers.iter().filter(|answer| answer.is_err()).count();
    ///         agenthost::log::info!(ctx, "woke the services", asleep = asleep);
    ///         Ok(Update::new())
    ///     }
    /// }
    ///
    /// let outcome = Test::<Warm>::new()
    ///     .operation("http.fetch", Reply::document(&FetchResponse { status: 200, ..FetchResponse::default() }))
    ///     .operation("http.fetch", Reply::refused(Errno::EBUSY))
    ///     .before_agent();
    /// assert_eq!(outcome.log[0].1, "woke the services asleep=1");
    /// ```
    pub fn fetch_all(&self, requests: impl IntoIterator<Item = FetchRequest>) -> Result<Vec<Result<FetchResponse>>> {
        self.ask_all("http.fetch", requests)
    }

    /// Calls the granted model for several requests at once, see [`generate`](Self::generate) and [`fetch_all`](Self::fetch_all).
    pub fn generate_all(
        &self,
        requests: impl IntoIterator<Item = GenerateRequest>,
    ) -> Result<Vec<Result<ModelResponse>>> {
        self.ask_all("model.generate", requests)
    }

    /// Performs an operation for several queries, in batches that are as large as the host takes.
    fn ask_all<R: Decode>(&self, op: &str, queries: impl IntoIterator<Item = impl Encode>) -> Result<Vec<Result<R>>> {
        let calls = queries
            .into_iter()
            .map(|query| BatchCall { op: op.to_owned(), payload: Raw::from_bytes_unchecked(query.to_document()) });
        let calls: Vec<BatchCall> = calls.collect();
        let mut all = Vec::with_capacity(calls.len());
        for some in calls.chunks(MOST) {
            let replies: BatchReplies = self.ask("batch", &Batch { calls: some.to_vec() })?;
            if replies.replies.len() != some.len() {
                return Err(Error::new("batch", "the host answered another number of calls than it was asked"));
            }
            for reply in replies.replies {
                let document = self.accept(Status(reply.status as i32), reply.reply.bytes().to_vec(), 0);
                all.push(document.and_then(|d| Ok(R::from_document(&d)?)));
            }
        }
        Ok(all)
    }
}
