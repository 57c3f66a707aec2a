from pathlib import Path
from typing import Any

from agenthost.testing import load

router = load(Path(__file__).with_name("router.py"), config={"routes": [
    {"match": r"\b(law|contract)", "model": "large", "prompt": "Cite the clause."},
    {"match": "weather", "prompt": "Use Celsius."},
]})


def changes(question: str) -> list[Any]:
    messages = [{"role": "human", "content": question}]
    return router.call("wrap_model_call", {"request": {"messages": messages, "system": "Be brief."}}).next


def test_a_question_goes_to_the_model_of_its_topic() -> None:
    assert changes("Is this Contract valid?") == [{"model": "large", "system": "Be brief.\n\nCite the clause."}]
    assert changes("the weather?") == [{"system": "Be brief.\n\nUse Celsius."}]
    assert changes("hi") == [{}]
