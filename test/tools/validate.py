"""Holds a JSON file against a schema: validate.py SCHEMA.json FILE.json

Knows the part of JSON Schema that docs/*.schema.json use, and refuses a schema
that uses more: a keyword it would pass over could not fail. Prints every
offence with its path; exit 1 if there is one.
"""
import json
import re
import sys

KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "type", "required",
    "properties", "additionalProperties", "items", "prefixItems", "minItems",
    "maxItems", "enum", "const", "minimum", "minLength", "pattern",
}  # fmt: skip
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "null": type(None),
}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not isinstance(value, bool)


def check(schema, value, path, root, errors):
    if isinstance(schema, bool):
        if not schema:
            errors.append(f"{path}: not allowed")
        return
    unknown = set(schema) - KNOWN
    if unknown:
        sys.exit(f"the schema uses {sorted(unknown)}, which this validator does not know")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        check(target, value, path, root, errors)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        errors.append(f"{path}: expected {' or '.join(types)}, found {value!r}")
        return
    if "const" in schema and value != schema["const"]:
        errors.append(f"{path}: expected {schema['const']!r}, found {value!r}")
    if "enum" in schema and value not in schema["enum"]:
        errors.append(f"{path}: {value!r} is none of {schema['enum']}")
    if is_type(value, "integer") and value < schema.get("minimum", value):
        errors.append(f"{path}: {value} is below {schema['minimum']}")
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            errors.append(f"{path}: too short")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            errors.append(f"{path}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, dict):
        check_object(schema, value, path, root, errors)
    if isinstance(value, list):
        check_array(schema, value, path, root, errors)


def check_object(schema, value, path, root, errors):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            errors.append(f"{path}: '{key}' is missing")
    for key, entry in value.items():
        rest = schema.get("additionalProperties", True)
        check(properties.get(key, rest), entry, f"{path}.{key}", root, errors)


def check_array(schema, value, path, root, errors):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        errors.append(f"{path}: {len(value)} items")
    prefix = schema.get("prefixItems", [])
    for i, entry in enumerate(value):
        part = prefix[i] if i < len(prefix) else schema.get("items", True)
        check(part, entry, f"{path}[{i}]", root, errors)


def main():
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    with open(sys.argv[2]) as file:
        value = json.load(file)
    errors = []
    check(schema, value, "$", schema, errors)
    print("\n".join(errors) or "valid")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
