"""Uses LiteLLM as a library against a server of agents."""

import sys

import litellm

URL, KEY = sys.argv[1:3]
ask = {"model": "openai/agent", "api_base": URL + "/v1", "api_key": KEY}


def user(text):
    return [{"role": "user", "content": text}]


c = litellm.completion(messages=user("weather Bern"), **ask)
assert c.choices[0].message.content == "I look.\n\nThe tool said: sunny in Bern", c
chunks = list(litellm.completion(messages=user("hello there"), stream=True, stream_options={"include_usage": True}, **ask))
assert "".join(p.choices[0].delta.content or "" for p in chunks if p.choices) == "You said: hello there", chunks
assert litellm.stream_chunk_builder(chunks).choices[0].finish_reason == "stop"
tool = {"type": "function", "function": {"name": "locate", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}
c = litellm.completion(messages=user("locate Bern"), tools=[tool], **ask)
assert c.choices[0].message.tool_calls[0].function.name == "locate", c
r = litellm.responses(input="hello", **ask)
assert r.output[0].content[0].text == "You said: hello", r
try:
    litellm.completion(messages=user("x"), **{**ask, "model": "openai/nobody"})
    raise AssertionError("there is no such model")
except litellm.NotFoundError:
    pass
try:
    litellm.completion(messages=user("x"), **{**ask, "api_key": "wrong-0123456789abcdef"})
    raise AssertionError("the key is wrong")
except litellm.AuthenticationError:
    pass
print("all done")
