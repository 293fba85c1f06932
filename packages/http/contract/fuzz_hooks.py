"""How Schemathesis judges a refusal of what the schema allows: 400 is right only by a rule that the document states.

The answer then counts as another that the document has for the operation. A rule names its fields in backticks (`x-mq-rules`).
"""

import json
import os
import re

import schemathesis

with open(os.environ["MQ_FUZZ_DOCUMENT"], encoding="utf-8") as file:
    DOCUMENT = json.load(file)

COUNTS_AS = 404


def operation_of(case):
    return DOCUMENT["paths"][case.operation.path][case.operation.method.lower()]


def body_schema_of(operation):
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("schema", {})


def rules_of(operation):
    name = body_schema_of(operation).get("$ref", "").split("/")[-1]
    components = DOCUMENT["components"]["schemas"]
    component = components.get(name, {})
    # A request that is one of several has the rules of each.
    parts = [components[part["$ref"].split("/")[-1]] for part in component.get("oneOf", []) if "$ref" in part]
    return [rule for one in [operation, component, *parts] for rule in one.get("x-mq-rules", [])]


def fields_at_fault(text):
    try:
        problem = json.loads(text)
    except ValueError:
        return re.findall(r"(?:valid: |; )(\w+)", text)
    return [re.split(r"[.\[]", error["path"])[0] for error in problem.get("errors", [])]


def is_by_a_rule(operation, text):
    fields = fields_at_fault(text)
    stated = {field for rule in rules_of(operation) for field in re.findall(r"`(\w+)", rule)}
    return len(fields) > 0 and all(field in stated for field in fields)


def is_another_cursor(text):
    """A cursor is opaque: the document says where one comes from, and no schema can."""
    return '"code":"CURSOR_INVALID"' in text


def is_of_a_full_queue(text):
    """Only an empty queue can be deleted, as the summary of the operation says."""
    return '"code":"QUEUE_NOT_EMPTY"' in text


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code != 400:
        return
    operation = operation_of(case)
    text = response.content.decode("utf-8", "replace")
    if is_by_a_rule(operation, text) or is_another_cursor(text) or is_of_a_full_queue(text):
        response.status_code = COUNTS_AS
