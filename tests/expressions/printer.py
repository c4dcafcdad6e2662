"""Prints nodes as text that parses to the same nodes; for round-trip tests."""

from __future__ import annotations

from tablewright.expressions import nodes

__all__ = ["print"]

Printable = nodes.ConditionNode | nodes.UpdateNode | nodes.ProjectionNode

_SECTIONS: dict[type[nodes.Action], str] = {
    nodes.SetAction: "SET",
    nodes.RemoveAction: "REMOVE",
    nodes.AddAction: "ADD",
    nodes.DeleteAction: "DELETE",
}


def print(node: Printable) -> str:  # noqa: A001 - The module's one verb: printer.print.
    """Return the text of a condition, an update or a projection. Literals have no text."""
    if isinstance(node, nodes.UpdateNode):
        return _update(node)
    if isinstance(node, nodes.ProjectionNode):
        return ", ".join(map(_operand, node.attributes))
    return _condition(node)


def _condition(node: nodes.ConditionNode) -> str:
    # As deep as the node, which the limit on operators bounds.
    if isinstance(node, nodes.And):
        return " AND ".join([_inside(part, nodes.And, nodes.Or) for part in node.operands])
    if isinstance(node, nodes.Or):
        return " OR ".join([_inside(part, nodes.Or) for part in node.operands])
    if isinstance(node, nodes.Not):
        return f"NOT {_inside(node.operand, nodes.And, nodes.Or)}"
    if isinstance(node, nodes.Comparison):
        return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"
    if isinstance(node, nodes.Between):
        bounds = f"{_operand(node.low)} AND {_operand(node.high)}"
        return f"{_operand(node.operand)} BETWEEN {bounds}"
    if isinstance(node, nodes.In):
        return f"{_operand(node.operand)} IN ({', '.join(map(_operand, node.options))})"
    return _operand(node)


def _inside(node: nodes.ConditionNode, *wrapped: type) -> str:
    text = _condition(node)
    return f"({text})" if isinstance(node, wrapped) else text


def _operand(node: nodes.Operand) -> str:
    if isinstance(node, nodes.Placeholder):
        return node.name
    if isinstance(node, nodes.Attribute):
        return _path(node)
    if isinstance(node, nodes.Call):
        return f"{node.function}({', '.join(map(_operand, node.arguments))})"
    raise TypeError("a literal value has no text; give it a placeholder")


def _path(node: nodes.Attribute) -> str:
    parts: list[str] = []
    for step in node.steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            name = step.name if isinstance(step, nodes.Alias) else step
            parts.append(f".{name}" if parts else name)
    return "".join(parts)


def _update(node: nodes.UpdateNode) -> str:
    sections: list[str] = []
    previous = ""
    for action in node.actions:
        section = _SECTIONS[type(action)]
        if section == previous:
            sections[-1] += f", {_action(action)}"
        else:
            sections.append(f"{section} {_action(action)}")
        previous = section
    return " ".join(sections)


def _action(action: nodes.Action) -> str:
    target = _path(action.target)
    if isinstance(action, nodes.RemoveAction):
        return target
    if not isinstance(action, nodes.SetAction):
        return f"{target} {_operand(action.value)}"
    value = action.value
    if isinstance(value, nodes.Arithmetic):
        return f"{target} = {_operand(value.left)} {value.operator} {_operand(value.right)}"
    return f"{target} = {_operand(value)}"
