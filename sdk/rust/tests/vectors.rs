//! The byte vectors of the ABI: every document decodes, and encodes to the same bytes.

use agenthost::document::*;
use std::path::PathBuf;

type Recode = fn(&[u8]) -> Vec<u8>;

fn recode<T: Decode + Encode>(bytes: &[u8]) -> Vec<u8> {
    T::from_document(bytes).expect("the vector decodes").to_document()
}

/// The documents by the names of their vectors.
const DOCUMENTS: [(&str, Recode); 56] = [
    ("batch", recode::<Batch>),
    ("batch_call", recode::<BatchCall>),
    ("batch_replies", recode::<BatchReplies>),
    ("batch_reply", recode::<BatchReply>),
    ("budget", recode::<Budget>),
    ("call_change", recode::<CallChange>),
    ("capability", recode::<Capability>),
    ("clock", recode::<Clock>),
    ("content", recode::<Content>),
    ("description", recode::<Description>),
    ("error", recode::<Failure>),
    ("event_emit", recode::<EventEmit>),
    ("fetch_request", recode::<FetchRequest>),
    ("fetch_response", recode::<FetchResponse>),
    ("field_spec", recode::<FieldSpec>),
    ("generate_request", recode::<GenerateRequest>),
    ("header", recode::<Header>),
    ("hook_input", recode::<HookInput>),
    ("hook_spec", recode::<HookSpec>),
    ("hook_specs", recode::<HookSpecs>),
    ("interrupt", recode::<Interrupt>),
    ("invalid_tool_call", recode::<InvalidToolCall>),
    ("kv_delete", recode::<KVDelete>),
    ("kv_entry", recode::<KVEntry>),
    ("kv_get", recode::<KVGet>),
    ("kv_item", recode::<KVItem>),
    ("kv_list", recode::<KVList>),
    ("kv_page", recode::<KVPage>),
    ("kv_put", recode::<KVPut>),
    ("kv_version", recode::<KVVersion>),
    ("message", recode::<Message>),
    ("model_info", recode::<ModelInfo>),
    ("model_query", recode::<ModelQuery>),
    ("model_request", recode::<ModelRequest>),
    ("model_response", recode::<ModelResponse>),
    ("name_list", recode::<NameList>),
    ("patch", recode::<Patch>),
    ("random_bytes", recode::<RandomBytes>),
    ("random_request", recode::<RandomRequest>),
    ("request_change", recode::<RequestChange>),
    ("response_change", recode::<ResponseChange>),
    ("result", recode::<HookResult>),
    ("run_info", recode::<RunInfo>),
    ("sleep_request", recode::<SleepRequest>),
    ("state_query", recode::<StateQuery>),
    ("state_reply", recode::<StateReply>),
    ("token_count", recode::<TokenCount>),
    ("token_query", recode::<TokenQuery>),
    ("tool_call", recode::<ToolCall>),
    ("tool_list", recode::<ToolList>),
    ("tool_reply", recode::<ToolReply>),
    ("tool_request", recode::<ToolRequest>),
    ("tool_spec", recode::<ToolSpec>),
    ("usage", recode::<Usage>),
    ("view", recode::<View>),
    ("view_spec", recode::<ViewSpec>),
];

fn vectors() -> Vec<(String, Vec<u8>)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../abi/testdata/v1");
    let mut vectors = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the vectors are there") {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "msgpack") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            vectors.push((name, std::fs::read(&path).unwrap()));
        }
    }
    vectors.sort();
    vectors
}

fn document_of(vector: &str) -> Recode {
    let document = vector.split('.').next().unwrap();
    let found = DOCUMENTS.iter().find(|(name, _)| *name == document);
    found.unwrap_or_else(|| panic!("the crate does not know the document of {vector}")).1
}

#[test]
fn documents_decode_and_encode_to_the_same_bytes() {
    let vectors = vectors();
    assert!(vectors.len() > 100, "only {} vectors", vectors.len());
    for (name, bytes) in &vectors {
        assert_eq!(&document_of(name)(bytes), bytes, "{name}");
    }
    for (document, _) in DOCUMENTS {
        assert!(vectors.iter().any(|(name, _)| name.starts_with(&format!("{document}."))), "{document} has no vector");
    }
}

#[test]
fn unknown_keys_are_ignored() {
    for (name, bytes) in vectors() {
        let document = name.split('.').next().unwrap();
        let keys_are_data = ["content", "name_list", "patch", "view_spec"].contains(&document);
        let Ok(keys) = agenthost::Map::try_from(agenthost::Value::new(&bytes)) else { continue };
        if !keys_are_data {
            let more = keys.with("a_key_of_tomorrow", vec![1, 2]).with("zz", 1.5);
            assert_eq!(document_of(&name)(agenthost::Raw::from(more).bytes()), bytes, "{name}");
        }
    }
}

#[test]
fn any_cut_or_flipped_vector_is_read_or_refused() {
    for (name, bytes) in vectors() {
        for cut in 0..bytes.len() {
            read_everything(&bytes[..cut]);
        }
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                read_everything(&bad);
            }
        }
        assert!(document_of(&name)(&bytes) == bytes);
    }
}

/// Reads bytes in every possible way. None of them may panic.
fn read_everything(bytes: &[u8]) {
    let value = agenthost::Value::new(bytes);
    let shown = format!("{value:?}");
    assert!(!shown.is_empty());
    let _ = (HookInput::from_document(bytes), HookResult::from_document(bytes), Description::from_document(bytes));
    let _ = (Message::from_document(bytes), RequestChange::from_document(bytes), KVPage::from_document(bytes));
    let _ = (agenthost::Map::try_from(value), agenthost::Raw::from_bytes(bytes.to_vec()));
    let _ = value.to::<std::collections::BTreeMap<String, Option<f64>>>();
    let _ = value.to::<Vec<(i8, u16, Option<String>)>>();
}

#[test]
fn arbitrary_bytes_are_read_or_refused() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let heads = [0x81, 0x92, 0xa1, 0xc4, 0xcb, 0xd9, 0xdc, 0xdf, 0xdd, 0xde, 0xc0, 0x61];
    for _ in 0..20_000 {
        let length = next() % 48;
        let mut bytes = Vec::new();
        for _ in 0..length {
            let r = next();
            bytes.push(if r % 3 == 0 { heads[(r >> 8) as usize % heads.len()] } else { (r >> 16) as u8 });
        }
        read_everything(&bytes);
    }
}

#[test]
fn deep_values_are_read_or_refused() {
    for head in [0x91, 0x81] {
        let bytes: Vec<u8> = std::iter::repeat_n(head, 100_000).collect();
        read_nested(&bytes);
        let pairs: Vec<u8> = [head, 0xa0].repeat(100_000);
        read_nested(&pairs);
    }
}

fn read_nested(bytes: &[u8]) {
    #[derive(serde::Deserialize)]
    struct Nested {
        #[allow(dead_code)]
        inner: Vec<Nested>,
    }
    assert!(agenthost::Value::new(bytes).to::<Vec<Nested>>().is_err());
    assert!(HookInput::from_document(bytes).is_err());
}
