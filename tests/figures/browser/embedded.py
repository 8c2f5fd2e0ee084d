"""What is in a page of batconv report, read here without the page's own code."""
import base64
import json
import re

PLACE = '@BATCONV_REPORT_DATA@'


def data_of(path):
    with open(path, encoding='utf-8') as file:
        found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S)
    assert len(found) == 1, 'one data block, not %d' % len(found)
    return json.loads(found[0])


def write_page(template, data, path):
    """A page as the program writes it, of other data."""
    with open(template, encoding='utf-8') as file:
        text = file.read()
    assert text.count(PLACE) == 1
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text.replace(PLACE, json.dumps(data, ensure_ascii=False).replace('<', '\\u003c')))


def cells_of(packed):
    """{address: value}"""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(packed['data']):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    found, cursor, at = {}, packed['begin'] // packed['cell'], 0
    while at < len(numbers):
        gap, many = divmod(numbers[at], 2)
        run = numbers[at + 1] if many else 1
        each = numbers[at + 1 + many]
        at += 2 + many
        for i in range(run):
            found[(cursor + gap + i) * packed['cell']] = each
        cursor += gap + run
    return found
