import { text, tool, type Scenarios } from './scenario.ts';

/** The model asks one question with two options and comments on the answer. */
export const teaQuestion: Scenarios[string] = [
  {
    blocks: [
      tool('AskUserQuestion', {
        questions: [
          {
            question: 'Which tea?',
            header: 'Tea',
            multiSelect: false,
            options: [
              { label: 'Green', description: 'fresh' },
              { label: 'Black', description: 'strong' },
            ],
          },
        ],
      }),
    ],
  },
  { blocks: [text('A good choice.')] },
];
