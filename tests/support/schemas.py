# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schemas in docs/schema, and JSON that holds several documents."""
import json
import os


def load(source, name):
    with open(os.path.join(source, 'docs/schema', name + '.schema.json'), encoding='utf-8') as file:
        return json.load(file)


def names(source):
    return {name[:-len('.schema.json')] for name in os.listdir(os.path.join(source, 'docs/schema'))}


def closed(schema):
    """A schema that lets no other keys through: those of docs/schema do, as later releases add keys.  One that does not raises
    ValueError."""
    if isinstance(schema, list):
        return [closed(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(inner) for key, inner in schema.items()}
    if isinstance(schema.get('properties'), dict) and 'object' in schema.get('type', ''):
        if schema.get('additionalProperties') is False:
            raise ValueError('an object is closed (additionalProperties): a key that a later release adds would be refused')
        schema.setdefault('additionalProperties', False)
    return schema


def documents(text):
    """One or several JSON values after each other."""
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value
