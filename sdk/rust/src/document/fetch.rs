use super::codec::document;

document! {
    /// An HTTP request.
    FetchRequest {
        /// The body.
        maybe "body" => body: Vec<u8>,
        /// In a value, `${secret:NAME}` is replaced by a secret of the grant.
        maybe "headers" => headers: Vec<Header>,
        /// In capitals; empty: `GET`.
        maybe "method" => method: String,
        /// Milliseconds for the whole exchange; 0, or more than the grant's: the grant's timeout.
        maybe "timeout_ms" => timeout_ms: u64,
        /// Absolute.
        "url" => url: String,
    }
}

document! {
    /// The answer to an HTTP request, of any status.
    FetchResponse {
        /// The body as received, not decompressed.
        maybe "body" => body: Vec<u8>,
        /// Names in lower case, sorted.
        "headers" => headers: Vec<Header>,
        /// The status, such as 200 or 404.
        "status" => status: u64,
        /// The URL that answered, which differs from the request's after redirects.
        "url" => url: String,
    }
}

document! {
    /// One line of an HTTP header.
    Header {
        /// Its name.
        "name" => name: String,
        /// Its value.
        "value" => value: String,
    }
}

impl FetchRequest {
    /// A `GET` request for this URL.
    pub fn get(url: impl Into<String>) -> Self {
        FetchRequest { url: url.into(), ..Self::default() }
    }

    /// A `POST` request to this URL, with a body and its type.
    pub fn post(url: impl Into<String>, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let request = FetchRequest { method: "POST".into(), body: body.into(), ..Self::get(url) };
        request.header("content-type", content_type)
    }

    /// Adds a line to the header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(Header { name: name.into(), value: value.into() });
        self
    }

    /// Limits the time of the whole exchange.
    #[must_use]
    pub fn timeout_ms(mut self, milliseconds: u64) -> Self {
        self.timeout_ms = milliseconds;
        self
    }
}

impl FetchResponse {
    /// The first value of the header with this lower-case name; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|h| h.name == name).map_or("", |h| &h.value)
    }
}
