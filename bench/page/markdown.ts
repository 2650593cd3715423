import { Lexer } from 'marked';
import { createStory } from '../../test/support/demo/story.ts';
import { MarkdownStream } from '../../webview/markdown/blocks.ts';
import { compare, type Row } from '../harness.ts';

/** An answer of this length with paragraphs, lists, tables and code. */
function answer(characters: number): string {
  const blocks = createStory('/workspace/teahouse').flatMap(({ steps }) =>
    steps.flatMap((step) => ('blocks' in step ? step.blocks : [])),
  );
  const texts = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_use' ? [`\`\`\`json\n${JSON.stringify(block.input, null, 2)}\n\`\`\``] : [];
  });
  const once = texts.join('\n\n');
  return `${once}\n\n`.repeat(Math.ceil(characters / once.length)).slice(0, characters);
}

/** Updates the page after every 20 characters. Returns the number of blocks. */
function streamed(text: string): number {
  const stream = new MarkdownStream();
  for (let at = 0; at < text.length; at += 20) {
    stream.append(text.slice(at, at + 20));
    stream.update();
  }
  stream.update(true);
  return stream.parts.length;
}

export async function markdown(turns = 3): Promise<Row[]> {
  const [whole, half] = [answer(1_000_000), answer(500_000)];
  const once = await compare(
    () => streamed(whole),
    () => Lexer.lex(whole).length,
    turns,
  );
  const growth = await compare(
    () => streamed(whole),
    () => streamed(half),
    turns,
  );
  return [
    {
      name: 'markdown: 1 MB streamed, against at once',
      value: once.ratio,
      unit: '×',
      goal: 30,
      detail: `${once.subject.toFixed(0)} ms in pieces of 20 characters, ${once.baseline.toFixed(1)} ms at once`,
    },
    {
      name: 'markdown: 1 MB streamed, against 500 KB',
      value: growth.ratio,
      unit: '×',
      goal: 2.5,
      detail: `${growth.subject.toFixed(0)} ms and ${growth.baseline.toFixed(0)} ms`,
    },
  ];
}
