/**
 * Schema of the Agent Trajectory Interchange Format 1.7, from Harbor's RFC (rfcs/0001-trajectory-format.md in
 * harbor-framework/harbor): fields, where they are allowed, and the rules of its validator.
 */
import * as z from 'zod';

const extra = z.record(z.string(), z.unknown()).optional();
const count = z.number().int().nonnegative().optional();
const isoTime = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

const result = z.strictObject({
  source_call_id: z.string().nullish(),
  content: z.string().nullish(),
  subagent_trajectory_ref: z.array(z.record(z.string(), z.unknown())).nullish(),
  extra,
});

const step = z
  .strictObject({
    step_id: z.number().int().positive(),
    timestamp: isoTime.optional(),
    source: z.enum(['system', 'user', 'agent']),
    model_name: z.string().optional(),
    reasoning_effort: z.union([z.string(), z.number()]).optional(),
    message: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          tool_call_id: z.string(),
          function_name: z.string(),
          arguments: z.record(z.string(), z.unknown()),
          extra,
        }),
      )
      .optional(),
    observation: z.strictObject({ results: z.array(result) }).optional(),
    metrics: z.record(z.string(), z.unknown()).optional(),
    llm_call_count: count,
    is_copied_context: z.boolean().optional(),
    extra,
  })
  .refine(
    ({ source, model_name, reasoning_content, tool_calls, metrics }) =>
      source === 'agent' || [model_name, reasoning_content, tool_calls, metrics].every((field) => field === undefined),
    'only steps of the agent have a model, reasoning, calls and metrics',
  )
  .refine(({ tool_calls = [], observation }) => {
    const ids = new Set(tool_calls.map(({ tool_call_id }) => tool_call_id));
    return (observation?.results ?? []).every(
      ({ source_call_id: id }) => id === null || id === undefined || ids.has(id),
    );
  }, 'a result names a call of its step');

export const atifSchema = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.7'),
    session_id: z.string().optional(),
    trajectory_id: z.string().optional(),
    agent: z.strictObject({
      name: z.string(),
      version: z.string(),
      model_name: z.string().optional(),
      tool_definitions: z.array(z.record(z.string(), z.unknown())).optional(),
      extra,
    }),
    steps: z.array(step).min(1),
    notes: z.string().optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count,
        total_completion_tokens: count,
        total_cached_tokens: count,
        total_cost_usd: z.number().nonnegative().optional(),
        total_steps: count,
        extra,
      })
      .optional(),
    continued_trajectory_ref: z.string().optional(),
    subagent_trajectories: z.array(z.unknown()).optional(),
    extra,
  })
  .refine(({ steps }) => steps.every(({ step_id }, index) => step_id === index + 1), 'steps count from 1')
  .refine(
    ({ steps, final_metrics }) => [undefined, steps.length].includes(final_metrics?.total_steps),
    'total_steps is the number of steps',
  );
