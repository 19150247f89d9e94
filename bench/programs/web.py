"""An application of Django behind the server of the standard library."""
from wsgiref import simple_server

import django
import forever
from django import forms, http, template
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

settings.configure(
    ROOT_URLCONF=__name__, SECRET_KEY='none', ALLOWED_HOSTS=['*'],
    MIDDLEWARE=['django.middleware.security.SecurityMiddleware',
                'django.middleware.common.CommonMiddleware',
                'django.middleware.csrf.CsrfViewMiddleware',
                'django.middleware.clickjacking.XFrameOptionsMiddleware'],
    TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates'}])
django.setup()
PAGE = template.Engine().from_string('''<h1>{{ title|upper }}</h1>
{% for row in rows %}<li class="{% cycle 'a' 'b' %}">{{ row.name|title }}
{% if row.n > 5 %}{{ row.n|floatformat:2 }}{% endif %}</li>{% endfor %}
{{ form.as_p }}''')


class Order(forms.Form):
    name = forms.CharField(max_length=20)
    mail = forms.EmailField()
    count = forms.IntegerField(min_value=1, max_value=9)


def show(request, n):
    form = Order({'name': 'x' * (n % 30), 'mail': 'a@example.org',
                  'count': str(n % 12)})
    form.is_valid()
    rows = [{'name': 'row <%d>' % i, 'n': i} for i in range(12)]
    return http.HttpResponse(PAGE.render(template.Context(
        {'title': 'page %d' % n, 'rows': rows, 'form': form})))


def data(request, slug):
    return http.JsonResponse({'slug': slug, 'items': [
        {'id': i, 'name': slug * 2} for i in range(40)]})


urlpatterns = [path('show/<int:n>/', show), path('data/<slug:slug>', data)]


class Handler(simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


server = simple_server.make_server('127.0.0.1', 0, get_wsgi_application(),
                                   handler_class=Handler)
forever.say_ready(port=server.server_port)
server.serve_forever()
