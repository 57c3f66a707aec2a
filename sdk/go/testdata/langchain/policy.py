"""The tool policy as middleware of LangChain."""

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.messages import ToolMessage


class Policy(HumanInTheLoopMiddleware):
    """Lets nobody delete files outside /tmp, and asks a person before it deletes one there or pays more than 100."""

    def __init__(self):
        super().__init__(
            {
                "delete": {"allowed_decisions": ["approve", "edit", "reject", "respond"], "description": "Deletes a file."},
                "pay": {
                    "allowed_decisions": ["approve", "reject"],
                    "description": "Pays more than 100.",
                    "when": lambda request: request.tool_call["args"].get("sum", 0) > 100,
                },
            },
            interrupt_mode="per_call",
        )

    def wrap_tool_call(self, request, handler):
        call = request.tool_call
        if call["name"] == "delete" and not call["args"].get("path", "").startswith("/tmp/"):
            return ToolMessage("Only files in /tmp may be deleted.", tool_call_id=call["id"], status="error")
        return super().wrap_tool_call(request, handler)
