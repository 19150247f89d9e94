"""A page of Jinja with blocks, macros, filters, and a loop."""
import forever
import jinja2

TEMPLATES = {
    'base': '''<html><head><title>{% block title %}{% endblock %}</title></head>
<body>{% for name, url in menu %}<a href="{{ url|e }}">{{ name }}</a>{% endfor %}
{% block body %}{% endblock %}</body></html>''',
    'macros': '''{% macro price(cents) %}{{ '%.2f'|format(cents / 100) }} EUR
{%- endmacro %}
{% macro row(item) %}<tr class="{{ loop_class(item.id) }}">
<td>{{ item.name|title }}</td><td>{{ price(item.cents) }}</td>
<td>{{ item.tags|sort|join(', ')|upper }}</td>
<td>{{ item.text|truncate(40)|wordwrap(20) }}</td></tr>{% endmacro %}''',
    'page': '''{% extends 'base' %}
{% from 'macros' import row, price with context %}
{% block title %}{{ items|length }} items{% endblock %}
{% block body %}<table>{% for item in items if item.cents > 10 %}
{{ row(item) }}{% else %}none{% endfor %}</table>
{% for group in items|groupby('kind') %}<h2>{{ group.grouper }}</h2>
<p>{{ price(group.list|sum(attribute='cents')) }},
{{ group.list|map(attribute='name')|map('lower')|join(' ') }}</p>
{% endfor %}{% endblock %}''',
}
ITEMS = [{'id': i, 'name': 'thing <%d>' % i, 'cents': i * 37 % 1000,
          'kind': 'abc'[i % 3], 'tags': ['x%d' % (i % 7), 'y', 'a&b'],
          'text': 'some words of item %d, and some more of them ' % i * 3}
         for i in range(60)]
MENU = [('home', '/'), ('all & more', '/all?a=1&b=2'), ('end', '/end')]


def make():
    env = jinja2.Environment(loader=jinja2.DictLoader(TEMPLATES),
                             autoescape=True)
    env.globals['loop_class'] = lambda n: 'odd' if n % 2 else 'even'
    return env


def work(env=make()):
    for _ in range(20):
        env.get_template('page').render(items=ITEMS, menu=MENU)
    # Compiling is part of it.
    make().from_string(TEMPLATES['base']).render(menu=MENU)


forever.run(work)
