use super::fake::{invalid, State};
use super::Reply;
use crate::document::{
    Batch, BatchReplies, BatchReply, Decode, Message, ModelInfo, ModelQuery, RunInfo, SleepRequest, TokenCount,
    TokenQuery, ToolList, ToolSpec,
};
use crate::{Errno, Raw};
use std::time::Duration;

/// What a plugin can learn about its run.
pub(super) struct Run {
    pub info: RunInfo,
    pub models: Vec<ModelInfo>,
    pub tools: Vec<ToolSpec>,
}

impl Default for Run {
    fn default() -> Self {
        let info = RunInfo { agent: "agent".into(), ..RunInfo::default() };
        Run { info, models: Vec::new(), tools: Vec::new() }
    }
}

impl State {
    /// Performs an operation that tells the plugin about its run; `None` if it is another operation.
    pub(super) fn inform(&self, op: &str, document: &[u8]) -> Option<Reply> {
        Some(match op {
            "run.info" => Reply::document(&self.run.info),
            "model.info" => ModelQuery::from_document(document).map_or_else(invalid, |query| {
                self.model(&query.model).map_or_else(not_found, |model| Reply::document(&model))
            }),
            "tools.read" => self.offered(),
            "tokens.count" => TokenQuery::from_document(document).map_or_else(invalid, |query| {
                let count = || Reply::document(&TokenCount { tokens: query.messages.iter().map(tokens).sum() });
                self.model(&query.model).map_or_else(not_found, |_| count())
            }),
            _ => return None,
        })
    }

    /// A configured model. An empty name means that of the request, or the first.
    fn model(&self, name: &str) -> Option<ModelInfo> {
        let wanted = match &self.request {
            Some(request) if name.is_empty() => &request.model,
            _ => name,
        };
        let only = [ModelInfo { name: "model".into(), ..ModelInfo::default() }];
        let models = if self.run.models.is_empty() { &only } else { self.run.models.as_slice() };
        models.iter().find(|m| wanted.is_empty() || m.name == wanted).cloned()
    }

    fn offered(&self) -> Reply {
        let Some(request) = &self.request else {
            return Reply::refused(Errno::ENOTSUP);
        };
        let spec = |name: &String| {
            let known = self.run.tools.iter().find(|tool| tool.name == *name);
            known.cloned().unwrap_or_else(|| ToolSpec { name: name.clone(), ..ToolSpec::default() })
        };
        Reply::document(&ToolList { tools: request.tools.iter().map(spec).collect() })
    }

    /// Performs operations one after the other.
    pub(super) fn batch(&mut self, document: &[u8]) -> Reply {
        let batch = match Batch::from_document(document) {
            Ok(batch) if (1..=32).contains(&batch.calls.len()) => batch,
            _ => return Reply::refused(Errno::EINVAL),
        };
        let mut replies = BatchReplies::default();
        for call in batch.calls {
            let reply = match call.op.as_str() {
                "http.fetch" | "model.generate" => self.perform(&call.op, call.payload.bytes()),
                _ => Reply::refused(Errno::ENOTSUP),
            };
            if reply.status.closes() {
                return reply;
            }
            replies
                .replies
                .push(BatchReply { reply: Raw::from_bytes_unchecked(reply.document), status: reply.status.0.into() });
        }
        Reply::document(&replies)
    }

    pub(super) fn sleep(&mut self, document: &[u8]) -> Reply {
        SleepRequest::from_document(document).map_or_else(invalid, |request| {
            self.slept += Duration::from_millis(request.duration_ms);
            Reply::nothing()
        })
    }
}

/// Counts as the host does for a model that cannot count.
fn tokens(message: &Message) -> u64 {
    (message.content.text().chars().count() as u64).div_ceil(4)
}

fn not_found() -> Reply {
    Reply::refused(Errno::ENOENT)
}
