import * as z from 'zod';

const values = z.record(z.string(), z.string());
const resolved =
  'May contain ${env:NAME}, ${workspaceFolder} and ${input:name}, which Vitrine replaces when the agent starts.';

/** A program that the agent starts and talks to over stdin and stdout. */
const stdioServerSchema = z.strictObject({
  type: z.literal('stdio'),
  command: z.string().min(1).describe(`The program, without its arguments. ${resolved}`),
  args: z.array(z.string()).default([]).describe(resolved),
  env: values.default({}).describe(`Variables for the program. ${resolved}`),
});

const httpServerSchema = z.strictObject({
  type: z.literal('http'),
  url: z
    .string()
    .regex(/^(?:https?:\/\/|\$\{)/i, 'The URL must begin with http:// or https://.')
    .describe(`Server URL. ${resolved}`),
  headers: values.default({}).describe(`Sent with every request. ${resolved}`),
});

/** A server of the Model Context Protocol for an agent. */
export const mcpServerSchema = z.discriminatedUnion('type', [stdioServerSchema, httpServerSchema]);
export type McpServer = z.infer<typeof mcpServerSchema>;

/** Servers by their names for the agent. */
export const mcpServersSchema = z.record(
  z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{1,64}$/,
      'Use only letters, digits, "_" and "-", because agents use this name in tool names.',
    ),
  mcpServerSchema,
);
export type McpServers = Readonly<Record<string, McpServer>>;
