<?php
// A page of Twig with blocks, macros, filters, and a loop.
require __DIR__ . '/forever.php';
require 'Twig/autoload.php';

$templates = [
    'base' => '<html><title>{% block title %}{% endblock %}</title>
{% for name, url in menu %}<a href="{{ url }}">{{ name }}</a>{% endfor %}
{% block body %}{% endblock %}</html>',
    'macros' => '{% macro price(cents) %}{{ "%.2f"|format(cents / 100) }} EUR
{%- endmacro %}
{% macro row(item) %}{% import _self as m %}<tr><td>{{ item.name|title }}</td>
<td>{{ m.price(item.cents) }}</td><td>{{ item.tags|sort|join(", ")|upper }}</td>
<td>{{ item.text|slice(0, 40)|escape }}</td></tr>{% endmacro %}',
    'page' => '{% extends "base" %}{% import "macros" as m %}
{% block title %}{{ items|length }} items{% endblock %}
{% block body %}{% for item in items|filter(i => i.cents > 10) %}
{{ m.row(item) }}{% if loop.index is even %}<hr>{% endif %}
{% else %}none{% endfor %}
{{ items|map(i => i.name|lower)|join(" ") }}
{{ m.price(items|reduce((sum, i) => sum + i.cents, 0)) }}{% endblock %}',
];
$items = [];
for ($i = 0; $i < 60; $i++) {
    $items[] = ['name' => "thing <$i>", 'cents' => $i * 37 % 1000,
        'tags' => ['x' . $i % 7, 'y', 'a&b'],
        'text' => str_repeat("some words of item $i ", 3)];
}
$menu = ['home' => '/', 'all & more' => '/all?a=1&b=2', 'end' => '/end'];
$env = new Twig\Environment(new Twig\Loader\ArrayLoader($templates));
run_forever(function () use ($env, $templates, $items, $menu) {
    for ($i = 0; $i < 20; $i++) {
        $env->render('page', ['items' => $items, 'menu' => $menu]);
    }
    // Compiling is part of it.
    $env->compileSource(new Twig\Source($templates['macros'], 'macros'));
});
