import type { MessagePart, Scenario } from './protocol.ts';

const says = (content: string, metadata?: object): { part: MessagePart } => ({
  part: { content_type: 'text/plain', content, ...(metadata !== undefined && { metadata }) },
});

/** Agents of the test server, by name. `{input}`: the input; `{before}`: number of earlier runs in this session. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ping: { description: 'Answers with what it is asked', steps: [says('pong: {input}')] },

  researcher: {
    description: 'Cites its sources',
    steps: [
      says('Naïve 🚀 readers ask. '),
      says('According to a recent study, AI adoption has increased by 40% this year.', {
        kind: 'citation',
        url: 'https://example.com/ai-study-2024',
        title: 'AI Adoption Report 2024',
        description: 'Comprehensive analysis of AI adoption trends across industries',
        start_index: 15,
        end_index: 27,
      }),
      { part: { metadata: { kind: 'citation', start_index: 0, end_index: 5, title: 'A dictionary' } } },
    ],
  },

  weather: {
    description: 'Shows what it did',
    steps: [
      says('', { kind: 'trajectory', message: 'The user wants to know about the weather.' }),
      says('', {
        kind: 'trajectory',
        message: 'I ask the weather service.',
        tool_name: 'weather_api',
        tool_input: { location: 'San Francisco, CA' },
        tool_output: { temperature: 72, condition: 'sunny' },
      }),
      says("It's currently 72°F and sunny in San Francisco."),
    ],
  },

  writer: {
    description: 'Makes things',
    steps: [
      {
        message: [
          { content_type: 'text/plain', content: 'Here is the report.' },
          { name: 'report.md', content_type: 'text/markdown', content: '# Report\n\n```js\n1\n```\n' },
          {
            name: 'notes.txt',
            content_type: 'text/plain',
            content_encoding: 'base64',
            content: Buffer.from('naïve 日本語 🚀').toString('base64'),
          },
          { name: 'plot.png', content_type: 'image/png', content_encoding: 'base64', content: 'iVBORw0KGgo=' },
          { name: 'data.csv', content_type: 'text/csv', content_url: 'https://example.com/data.csv' },
        ],
      },
    ],
  },

  asker: {
    description: 'Asks before it goes on',
    steps: [says('Before I start.'), { await: 'Which city?' }, says('The weather in {answer} is fine.')],
  },

  failing: {
    description: 'Fails halfway',
    steps: [says('So far so good'), { fail: { code: 'server_error', message: 'The model is not available.' } }],
  },

  slow: { description: 'Goes on until it is cancelled', steps: [says('Working'), { hang: true }] },

  dropping: { description: 'Loses the connection', steps: [says('Half of '), { drop: true }, says('the answer')] },

  garbling: {
    description: 'Sends something other than an event stream',
    steps: [
      says('One '),
      { raw: 'data: {"type":"message.part","part":\n\n' },
      { raw: 'data: not json\n\n' },
      { raw: 'nonsense: x\n\n: a comment\n\nretry: soon\n\n' },
      { raw: 'event: later\nid: 7\ndata: {"type":"message.thought","x":1}\n\n' },
      { raw: 'data: {"type":"generic",\ndata: "generic":{"lines":2}}\r\n\r\n' },
      says('two'),
    ],
  },

  memory: { description: 'Remembers its session', steps: [says('You asked me {before} times before.')] },

  telling: { description: 'Tells something of its own', steps: [{ generic: { progress: 0.5 } }, says('Done.')] },
};
