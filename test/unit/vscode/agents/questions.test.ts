import assert from 'node:assert/strict';
import { OpenQuestions } from '../../../../src/vscode/agents/openQuestions.ts';

describe('questions to the user', () => {
  it('are asked one at a time, each once, even after a failed one', async () => {
    const questions = new OpenQuestions<string>();
    const answers: ((answer: string | Error) => void)[] = [];
    const put: string[] = [];
    const ask = (key: string) =>
      questions.ask(key, () => {
        put.push(key);
        return new Promise((resolve, reject) => {
          answers.push((answer) => (typeof answer === 'string' ? resolve(answer) : reject(answer)));
        });
      });
    const answer = async (words: string | Error): Promise<void> => {
      answers.at(-1)?.(words);
      await new Promise(setImmediate);
    };
    const all = [ask('a'), ask('b'), ask('a'), ask('c')].map((asking) =>
      asking.catch((error: unknown) => String(error)),
    );
    await new Promise(setImmediate);
    assert.deepEqual(put, ['a']);
    await answer('one');
    assert.deepEqual(put, ['a', 'b']);
    await answer(new Error('closed'));
    assert.deepEqual(put, ['a', 'b', 'c']);
    await answer('three');
    assert.deepEqual(await Promise.all(all), ['one', 'Error: closed', 'one', 'three']);
    const again = ask('a');
    await new Promise(setImmediate);
    await answer('anew');
    assert.equal(await again, 'anew');
    assert.deepEqual(put, ['a', 'b', 'c', 'a']);
  });
});
