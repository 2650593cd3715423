import assert from 'node:assert/strict';
import { loadPrices } from '../../src/insight/prices/prices.ts';
import type { Cost } from '../../src/model/usage/usage.ts';
import { resultsOfChain } from '../support/captures/chains.ts';

/**
 * Runs of one session per block, under the version that made them. By hand from the figures the program printed; `~` is an
 * estimate by the price table, `–` is not known.
 *
 * run (of another version: with it) | cost | totalCost | turns of session/run | duration | API duration | input/output tokens of run, of session
 */
const sessions = `
1.0.3: every total is the run's; turns count the conversation, which starts again from an earlier point with the first id
resume-0-first             | 0.005136 | 0.005136 | 1/1 | 99  | 53  | 12/50 12/50
resume-1-second            | 0.005136 | 0.010272 | 3/2 | 423 | 100 | 12/50 24/100
resume-2-third-by-first-id | 0.005136 | 0.015408 | 3/2 | 68  | 40  | 12/50 36/150
resume-3-by-newest-id      | 0.005136 | 0.020544 | 5/2 | 76  | 45  | 12/50 48/200

1.0.128: every total is the run's, a model asked on the side included; turns count the conversation
resumed-0 | 0.005136  | 0.005136  | 1/1  | 88  | 54  | 12/50 12/50
resumed-1 | 0.0065056 | 0.0116416 | 3/2  | 88  | 78  | 24/100 36/150
resumed-2 | 0.0130112 | 0.0246528 | 8/5  | 208 | 129 | 48/200 84/350
resumed-3 | 0.0167776 | 0.0414304 | 12/4 | 172 | 117 | 48/200 132/550

1.0.128: the same from single results, which name no version
json-0 | 0.005136  | 0.005136  | 1/1  | 129 | 74  | 12/50 12/50
json-1 | 0.0065056 | 0.0116416 | 3/2  | 78  | 66  | 24/100 36/150
json-2 | 0.0130112 | 0.0246528 | 8/5  | 182 | 132 | 48/200 84/350
json-3 | 0.0065056 | 0.0311584 | 10/2 | 83  | 78  | 24/100 108/450

1.0.128: a run that was killed is estimated, and so is every total that holds it
killed-0 | 0.0065056 | 0.0065056  | 1/1 | 98  | 82 | 24/100 24/100
killed-1 | ~0.005136 | ~0.0116416 | 1/– | –   | –  | 12/50 36/150
killed-2 | 0.005136  | ~0.0167776 | 5/4 | 108 | 78 | 12/50 48/200

1.0.128: two turns in one process
two-turns | 0.010272 | 0.010272 | 3/3 | 154 | 95 | 24/100 24/100

2.0.77: every total is the run's, with more on the side than the conversation used
resumed-0 | 0.005136             | 0.005136 | 1/1 | 182 | 97   | 12/50 12/50
resumed-1 | 0.01712              | 0.022256 | 2/1 | 165 | 643  | 48/200 60/250
resumed-2 | 0.023968000000000003 | 0.046224 | 4/2 | 318 | 541  | 72/300 132/550
resumed-3 | 0.027392             | 0.073616 | 6/2 | 532 | 1338 | 72/300 204/850

2.0.77: a fork starts at zero
forked | 0.01712 | 0.01712 | 1/1 | 179 | 595 | 48/200 48/200

2.0.77: two turns in one process: totals run on, the rest is per turn
input-stream-json-two-turns | 0.023968000000000003 | 0.023968000000000003 | 2/2 | 615 | 1336 | 72/300 72/300

2.0.77: interrupted without a closing line, then resumed
sigint-during-tool  | ~0.005136 | ~0.005136 | –/– | –   | –   | 12/50 12/50
resume-after-sigint | 0.018832  | ~0.023968 | 1/1 | 120 | 581 | 60/250 72/300

2.1.197: every total is the run's
resumed-0 | 0.00856 | 0.00856 | 1/1 | 162 | 37  | 12/50 12/50
resumed-1 | 0.00856 | 0.01712 | 2/1 | 110 | 28  | 12/50 24/100
resumed-2 | 0.01712 | 0.03424 | 4/2 | 263 | 72  | 24/100 48/200
resumed-3 | 0.02568 | 0.05992 | 6/2 | 242 | 107 | 36/150 84/350

2.1.276: the last version whose total is the run's
inter-a0 | 0.00856 | 0.00856 | 1/1 | 172 | 54 | 12/50 12/50
inter-a1 | 0.00856 | 0.01712 | 2/1 | 154 | 44 | 12/50 24/100

2.1.277: the first whose totals go on over resumes, with nothing printed that is the run's own
resumed-0 | 0.00856 | 0.00856 | 1/1 | 158 | 47 | 12/50 12/50
resumed-1 | 0.00856 | 0.01712 | 2/1 | 150 | 48 | 12/50 24/100
resumed-2 | 0.01712 | 0.03424 | 4/2 | 231 | 71 | 24/100 48/200
resumed-3 | 0.03424 | 0.06848 | 7/3 | 239 | 73 | 48/200 96/400

2.1.277: the same from single results
json-0 | 0.00856 | 0.00856 | 1/1 | 191 | 52 | 12/50 12/50
json-1 | 0.00856 | 0.01712 | 2/1 | 142 | 44 | 12/50 24/100
json-2 | 0.01712 | 0.03424 | 4/2 | 223 | 68 | 24/100 48/200
json-3 | 0.00856 | 0.0428  | 5/1 | 142 | 47 | 12/50 60/250

2.1.277: a fork starts with its parent's total; what is its own follows from its tokens
forked | 0.00856 | 0.07704 | 1/1 | 167 | – | 12/50 108/450

2.1.277: ... also as a single result
json-forked | 0.00856 | 0.0428 | 1/1 | 142 | – | 12/50 60/250

2.1.277: a first run that is more than its conversation, because of a subagent
subagent-first | 0.03424 | 0.03424 | 3/3 | 218 | 74 | 48/200 48/200

2.1.277: a resumed run whose earlier ones are not given
json-2 | 0.01712 | 0.03424 | 2/2 | 223 | – | 24/100 48/200

2.1.277: what a killed run used is lost to the program, and kept here
killed-0 | 0.00856   | 0.00856   | 1/1 | 147 | 48 | 12/50 12/50
killed-1 | ~0.007335 | ~0.015895 | 1/– | –   | –  | 12/1 24/51
killed-2 | 0.00856   | ~0.024455 | 2/1 | 143 | 46 | 12/50 36/101

2.1.277: what a run used that was ended by SIGTERM is in the next total
terminated-0 | 0.00856   | 0.00856   | 1/1 | 160 | 49 | 12/50 12/50
terminated-1 | ~0.007335 | ~0.015895 | 1/– | –   | –  | 12/1 24/51
terminated-2 | 0.00856   | 0.02568   | 2/1 | 143 | –  | 12/50 36/150

2.1.277: a stop at the budget prints no tokens beside its total
budget-0 | 0.00856 | 0.00856 | 1/1 | 138 | 48 | 12/50 12/50
budget-1 | 0.00856 | 0.01712 | 2/1 | 164 | 0  | 12/50 24/100

2.1.328: totals go on over resumes, and the run's own usage is printed
resume-0-first             | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 174 | 31 | 12/50 12/50
resume-1-second            | 0.006448000000000001 | 0.012896000000000001 | 2/1 | 142 | 31 | 12/50 24/100
resume-2-third-by-first-id | 0.006448000000000001 | 0.019344             | 3/1 | 125 | 26 | 12/50 36/150
resume-3-by-newest-id      | 0.006448000000000001 | 0.025792000000000002 | 4/1 | 120 | 26 | 12/50 48/200

2.1.328: a subagent in a resumed run
resumed-0 | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 162 | 30  | 12/50 12/50
resumed-1 | 0.006448000000000001 | 0.012896000000000001 | 2/1 | 134 | 22  | 12/50 24/100
resumed-2 | 0.012896000000000001 | 0.025792000000000002 | 4/2 | 187 | 56  | 24/100 48/200
resumed-3 | 0.025792000000000002 | 0.05158400000000001  | 7/3 | 311 | 186 | 48/200 96/400

2.1.328: single results print no usage of their own
json-0 | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 113 | 22 | 12/50 12/50
json-1 | 0.006448             | 0.012896000000000001 | 2/1 | 136 | 24 | 12/50 24/100
json-2 | 0.012896             | 0.025792000000000002 | 4/2 | 219 | 64 | 24/100 48/200

2.1.328: runs in between that are not given, and another model from then on
resume-0-first                | 0.006448000000000001 | 0.006448000000000001 | 1/1  | 174 | 31 | 12/50 12/50
resume-after-tools            | 0.04513600000000001  | 0.077376             | 8/7  | 350 | –  | 84/350 144/600
resume-from-other-cwd         | 0.0001712            | 0.07771839999999999  | 9/1  | 103 | –  | 12/50 168/700
input-stream-json-with-resume | 0.0001712            | 0.07788959999999999  | 10/1 | 137 | 26 | 12/50 180/750

2.1.328: a fork
resume-fork | 0.006448000000000001 | 0.03868800000000001 | 1/1 | 98 | – | 12/50 72/300

2.1.328: an id that the agent does not know, and then one that it does
resume-0-first  | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 174 | 31 | 12/50 12/50
resume-unknown  | 0                    | 0.006448000000000001 | 1/0 | 0   | 0  | –/– 12/50
resume-1-second | 0.006448000000000001 | 0.012896000000000001 | 2/1 | 142 | 31 | 12/50 24/100

2.1.328: killed, and ended by SIGTERM
killed-0 | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 185 | 34 | 12/50 12/50
killed-1 | ~0.005468            | ~0.011916            | 1/– | –   | –  | 12/1 24/51
killed-2 | 0.006448000000000001 | ~0.018364            | 2/1 | 230 | 27 | 12/50 36/101

2.1.328: ended by SIGTERM
terminated-0 | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 212 | 31 | 12/50 12/50
terminated-1 | ~0.005468            | ~0.011916            | 1/– | –   | –  | 12/1 24/51
terminated-2 | 0.006448000000000001 | 0.019344             | 2/1 | 163 | –  | 12/50 36/150

2.1.328: interrupted with a closing line
interrupted-0 | 0.006448000000000001 | 0.006448000000000001 | 1/1 | 190 | 40 | 12/50 12/50
interrupted-1 | 0.006448000000000001 | 0.012896000000000001 | 4/3 | 870 | 56 | 12/50 24/100
interrupted-2 | 0.006448000000000001 | 0.019344             | 5/1 | 160 | 38 | 12/50 36/150

2.1.328: resuming a session of 2.1.276, whose totals this version does not know
2.1.276/inter-a0 | 0.00856 | 0.00856 | 1/1 | 172 | 54 | 12/50 12/50
2.1.276/inter-a1 | 0.00856 | 0.01712 | 2/1 | 154 | 44 | 12/50 24/100
upgraded-0       | 0.00856 | 0.02568 | 3/1 | 202 | 47 | 12/50 36/150
upgraded-1       | 0.00856 | 0.03424 | 4/1 | 230 | 45 | 12/50 48/200

2.1.328: several closing lines in one process
background-agent | 0.032240000000000005 | 0.032240000000000005 | 3/3 | 1038 | 770 | 60/250 60/250

2.1.328: ... each with its own part
background-bash | 0.019344 | 0.019344 | 3/3 | 1138 | 532 | 36/150 36/150
`;

interface Session {
  readonly title: string;
  readonly version: string;
  readonly rows: readonly (readonly string[])[];
}

function parse(text: string): Session[] {
  return text
    .trim()
    .split('\n\n')
    .map((block) => {
      const [title = '', ...lines] = block.split('\n');
      const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
      return { title, version: title.split(':')[0] ?? '', rows };
    });
}

function shownCost(cost: Cost): string {
  if (cost.provenance === 'unknown') return '–';
  return `${cost.provenance === 'estimated' ? '~' : ''}${cost.usd}`;
}

const shown = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : `${value}`);

describe('figures of Claude Code captures over a session', () => {
  for (const { title, version, rows } of parse(sessions)) {
    it(title, async () => {
      const prices = await loadPrices();
      const results = resultsOfChain(
        rows.map(([name = '']) => (name.includes('/') ? name : `${version}/${name}`)),
        { prices },
      );
      const got = results.map(({ metadata }, at) => {
        assert.ok(metadata);
        const { usage, totalUsage } = metadata;
        assert.equal(
          metadata.cost === null ? undefined : metadata.cost >= 0,
          metadata.cost === null ? undefined : true,
        );
        return [
          rows[at]?.[0],
          shownCost(metadata.costProvenance),
          shownCost(metadata.totalCostProvenance),
          `${shown(metadata.turns)}/${shown(metadata.runTurns)}`,
          shown(metadata.duration),
          shown(metadata.apiDuration),
          `${shown(usage.input)}/${shown(usage.output)} ${shown(totalUsage.input)}/${shown(totalUsage.output)}`,
        ];
      });
      assert.deepEqual(got, rows);
    });
  }
});
