import { edits, textAfter, reviewedFiles } from '../../sessions/reviewSession.ts';
import { type Scenarios, text, tool } from './scenario.ts';

/** Claude Code changes four files in `folder` at three places each: by Edit, Write, Edit, and a command. */
export function reviewScenario(folder: string): Scenarios {
  const files = reviewedFiles(folder, 4);
  const [first = '', second = '', third = '', fourth = ''] = files;
  const editsOf = (file: string) =>
    edits.map(({ from, to }) => tool('Edit', { file_path: file, old_string: from, new_string: to }));
  const script = edits.map(({ from, to }) => `s/${from}/${to.replace('*', '\\*')}/`).join('; ');
  return {
    double: [
      { blocks: files.map((file) => tool('Read', { file_path: file })) },
      { blocks: editsOf(first) },
      { blocks: [tool('Write', { file_path: second, content: textAfter })] },
      { blocks: editsOf(third) },
      { blocks: [tool('Bash', { command: `sed -i '${script}' ${fourth}`, description: 'Double three values' })] },
      { blocks: [text('I doubled three values in each of four files.')] },
    ],
  };
}
