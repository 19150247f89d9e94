<?php
// What tests.php runs.

use PHPUnit\Framework\TestCase;
use Twig\Environment;
use Twig\Loader\ArrayLoader;

class ExpressionTest extends TestCase
{
    private $env;

    protected function setUp(): void
    {
        $this->env = new Environment(new ArrayLoader(['in' => '{{ a }}']));
    }

    public function provide()
    {
        for ($i = 0; $i < 40; $i++) {
            yield ["{{ $i + a * 2 }}", (string)($i + 14)];
            yield ["{{ [a, $i]|join('-')|upper }}", "7-$i"];
        }
    }

    /** @dataProvider provide */
    public function testRenders($source, $want)
    {
        $template = $this->env->createTemplate($source);
        $this->assertSame($want, $template->render(['a' => 7]));
        $this->assertNotSame($want, 'x' . $template->render(['a' => 7]));
    }

    /** @dataProvider provide */
    public function testTokens($source)
    {
        $stream = $this->env->tokenize(new Twig\Source($source, 'x'));
        $node = $this->env->parse($stream);
        $this->assertInstanceOf(Twig\Node\ModuleNode::class, $node);
        $this->assertCount(0, $node->getNode('blocks'));
        $this->assertEquals(['x' => [1, 2]], ['x' => [1, 2]]);
    }

    public function testMocks()
    {
        $loader = $this->createMock(Twig\Loader\LoaderInterface::class);
        $loader->method('getCacheKey')->willReturn('key');
        $this->assertSame('key', $loader->getCacheKey('x'));
    }

    public function testThrows()
    {
        $this->expectException(Twig\Error\SyntaxError::class);
        $this->env->createTemplate('{{ a');
    }
}
