#!/usr/bin/env node
// @ts-check
/**
 * A server of the Model Context Protocol over stdio with one tool. Notes in the file of PROBE_NOTE what it was started with.
 * Plain JavaScript, because it is started as a program.
 */
import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const { PROBE_NOTE = '', PROBE_SECRET = '' } = process.env;
const server = new McpServer({ name: 'probe', version: '1' });
server.registerTool('look', { description: 'Looks.' }, () => ({ content: [{ type: 'text', text: 'Seen.' }] }));
server.server.oninitialized = () =>
  writeFileSync(PROBE_NOTE, JSON.stringify({ args: process.argv.slice(2), secret: PROBE_SECRET }));
await server.connect(new StdioServerTransport());
