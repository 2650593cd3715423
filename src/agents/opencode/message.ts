import type { JsonObject } from '../../model/text/json.ts';

export interface OpenCodeMessage {
  readonly id: string;
  readonly session: string;
  readonly role: string | undefined;
  readonly data: JsonObject;
  readonly created: number | undefined;
}
