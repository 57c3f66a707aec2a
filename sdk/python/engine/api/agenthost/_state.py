"""Fields of the state that a plugin declares."""

_kinds = {int: "integer", float: "number", str: "string", bool: "boolean", list: "array", dict: "object", "int": "integer", "float": "number",
          "str": "string", "bool": "boolean", "list": "array", "dict": "object"}


def schema_of(annotation):
    """The JSON Schema of an annotation; empty: anything."""
    if annotation in _kinds:
        return {"type": _kinds[annotation]}
    origin, arguments = getattr(annotation, "__origin__", None), getattr(annotation, "__args__", ())
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0])} if arguments else {"type": "array"}
    if origin is dict:
        return {"type": "object"}
    if getattr(origin, "__name__", None) == "Literal" or repr(origin) == "typing.Literal":
        return {"enum": list(arguments)}
    if arguments and type(None) in arguments:
        rest = [a for a in arguments if a is not type(None)]
        return schema_of(rest[0]) if len(rest) == 1 else {}
    return {}


class Field:
    """A field of the state. The plugin reads and writes it; it lives as long as the thread, the run or the step.

    count = Field("count", int, lifetime="run", reducer="add")
    """

    def __init__(self, name, type=None, *, lifetime="run", reducer="last", schema=None, hide_input=False, hide_output=False):
        self.name = name
        self.spec = {"name": name, "lifetime": lifetime}
        if reducer != "last":
            self.spec["reducer"] = reducer
        schema = schema or (schema_of(type) if type else None)
        if schema:
            self.spec["schema"] = schema
        if hide_input:
            self.spec["hide_input"] = True
        if hide_output:
            self.spec["hide_output"] = True

    @classmethod
    def of_annotation(cls, name, annotation):
        """The field of an annotation: NotRequired[int], or Annotated[int, operator.add], whose values are added."""
        reducer = "last"
        while hasattr(annotation, "__origin__") and annotation.__origin__ is not None:
            for extra in getattr(annotation, "__metadata__", ()):
                if getattr(extra, "__name__", None) == "add":
                    reducer = "add"
            if getattr(annotation.__origin__, "__name__", None) not in ("NotRequired", "Required", "Annotated") and not hasattr(annotation, "__metadata__"):
                break
            annotation = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation.__args__[0]
        if reducer == "add" and (annotation is list or getattr(annotation, "__origin__", None) is list):
            return cls(name, lifetime="thread", reducer="append")
        return cls(name, annotation, lifetime="thread", reducer=reducer)

    def get(self, state, default=None):
        return state.get(self.name, default)
