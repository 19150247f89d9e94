<?php
// An application of Symfony, for the server of the command line.

use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Controller\ArgumentResolver;
use Symfony\Component\HttpKernel\Controller\ControllerResolver;
use Symfony\Component\HttpKernel\EventListener\ResponseListener;
use Symfony\Component\HttpKernel\EventListener\RouterListener;
use Symfony\Component\HttpKernel\HttpKernel;
use Symfony\Component\Routing\Matcher\UrlMatcher;
use Symfony\Component\Routing\RequestContext;
use Symfony\Component\Routing\Route;
use Symfony\Component\Routing\RouteCollection;

require_once 'Symfony/Component/HttpKernel/autoload.php';
require_once 'Symfony/Component/Routing/autoload.php';

function show(Request $request, int $n): Response
{
    $rows = '';
    foreach (range(1, 40) as $i) {
        $rows .= sprintf('<li class="%s">%s</li>', $i % 2 ? 'a' : 'b',
            htmlspecialchars("row <$i> of $n, " . $request->getPathInfo()));
    }
    return new Response("<ul>$rows</ul>");
}

function data(string $slug): Response
{
    return new JsonResponse(['slug' => $slug, 'items' => array_map(
        function ($i) use ($slug) { return ['id' => $i, 'name' => $slug]; },
        range(1, 40)
    )]);
}

$routes = new RouteCollection();
for ($i = 0; $i < 20; $i++) {
    $routes->add("none$i", new Route("/none$i/{id}"));
}
$routes->add('show', new Route('/show/{n}/', ['_controller' => 'show'],
    ['n' => '\d+']));
$routes->add('data', new Route('/data/{slug}', ['_controller' => 'data']));
$dispatcher = new EventDispatcher();
$requests = new RequestStack();
$dispatcher->addSubscriber(new RouterListener(
    new UrlMatcher($routes, new RequestContext()), $requests));
$dispatcher->addSubscriber(new ResponseListener('UTF-8'));
$kernel = new HttpKernel($dispatcher, new ControllerResolver(), $requests,
    new ArgumentResolver());
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
