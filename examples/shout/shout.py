"""Puts the results of tools in upper case."""

from agenthost import plugin, wrap_tool_call

plugin(version="1.0.0")


@wrap_tool_call
def shout(request, handler):
    answer = handler(request)
    answer.content = answer.text.upper()
    return answer
