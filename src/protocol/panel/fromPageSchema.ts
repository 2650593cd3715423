import * as z from 'zod';
import { stepKinds } from '../../model/transcript/steps.ts';
import { detailLevels } from './detailLevel.ts';
import { maxMessages } from './figureMessages.ts';
import { type Envelope, type FromPage, pageCommands } from './messages.ts';
import { fileSorts, maxCollapsedLanes, maxLines, maxSince } from './viewMessages.ts';

const request = z.number().int().nonnegative();
const line = z.number().int().min(1);
const index = z.number().int().nonnegative();
const text = (longest: number) => z.string().max(longest);

/** `answerSchema` of the model with size limits, because answers go to the agent and into the record. */
const answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow'), scope: z.enum(['once', 'session']) }),
  z.object({ kind: z.literal('deny'), reason: text(20_000).optional() }),
  z.object({
    kind: z.literal('answer'),
    answers: z.array(text(100_000)).max(100),
  }),
]);

const wish = z.object({
  query: text(1000),
  kinds: z.array(z.enum(stepKinds)).max(stepKinds.length),
  repeats: z.boolean(),
  sort: z.enum(['time', 'longest']),
  closed: z.array(text(1000)).max(maxCollapsedLanes),
});

const fromPageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('ack'), seq: z.number().int() }),
  z.object({ type: z.literal('getPage'), request, from: index, count: z.number().int().min(1).max(500) }),
  z.object({ type: z.literal('getEntry'), request, index }),
  z.object({ type: z.literal('getEvidence'), request, index, link: index }),
  z.object({
    type: z.literal('getSources'),
    request,
    from: index,
    count: z.number().int().min(0).max(maxLines),
    query: text(1000),
  }),
  z.object({ type: z.literal('find'), request, query: text(1000), from: index }),
  z.object({ type: z.literal('send'), text: text(1_000_000), how: z.enum(['queue', 'interrupt']).default('queue') }),
  z.object({ type: z.literal('typing') }),
  z.object({ type: z.literal('takeBack'), id: index }),
  z.object({ type: z.literal('answer'), id: text(200), answer }),
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('pickPrompt') }),
  z.object({ type: z.literal('keepDetail'), detail: z.enum(detailLevels) }),
  z.object({ type: z.literal('openFile'), path: text(4096), line: line.optional(), endLine: line.optional() }),
  z.object({ type: z.literal('openDiff'), index }),
  z.object({ type: z.literal('openLink'), url: z.url({ protocol: /^https?$/ }).max(8192) }),
  z.object({ type: z.literal('openRecalled'), index, passage: index }),
  z.object({ type: z.literal('copy'), text: text(16_000_000) }),
  z.object({ type: z.literal('command'), command: z.enum(pageCommands) }),
  z.object({
    type: z.literal('getTrajectory'),
    request,
    from: index,
    count: z.number().int().min(1).max(maxLines),
    wish,
    around: index.optional(),
  }),
  z.object({
    type: z.literal('getFiles'),
    request,
    from: index,
    count: z.number().int().min(0).max(maxLines),
    query: text(1000),
    sort: z.enum(fileSorts),
  }),
  z.object({ type: z.literal('getSince'), request, paths: z.array(text(4096)).max(maxSince) }),
  z.object({ type: z.literal('getEditPreviews'), request, id: text(200) }),
  z.object({ type: z.literal('openFileChanges'), path: text(4096) }),
  z.object({ type: z.literal('openAllChanges') }),
  z.object({ type: z.literal('getLedger'), request }),
  z.object({ type: z.literal('getResume'), request }),
  z.object({ type: z.literal('getMessageFigures'), request, indexes: z.array(index).max(maxMessages) }),
]);

const envelopeSchema = z.object({ generation: z.number().int(), seq: z.number().int(), message: fromPageSchema });

/** A message of a page; `undefined` for anything else. Extra keys are dropped. */
export function parseFromPage(data: unknown): Envelope<FromPage> | undefined {
  const parsed = envelopeSchema.safeParse(data);
  return parsed.success ? compact(parsed.data) : undefined;
}

/** `line: undefined` and an absent `line` mean the same; only the second has the contract's type. */
function compact({ message, ...rest }: z.infer<typeof envelopeSchema>): Envelope<FromPage> {
  if (message.type === 'openFile') {
    const { line, endLine, ...file } = message;
    const lines = { ...(line !== undefined && { line }), ...(endLine !== undefined && { endLine }) };
    return { ...rest, message: { ...file, ...lines } };
  }
  if (message.type === 'getTrajectory') {
    const { around, ...wanted } = message;
    return { ...rest, message: around === undefined ? wanted : { ...wanted, around } };
  }
  return { ...rest, message };
}
