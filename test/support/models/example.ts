import { isObject } from '../../../src/model/text/json.ts';

/** An example for a JSON schema: the first enum value, all properties, otherwise the simplest value. */
export function exampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return null;
  const { type, enum: values, properties, items } = schema;
  if (Array.isArray(values)) return values[0];
  if (isObject(properties)) {
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, exampleOf(value)]));
  }
  switch (String(type).toLowerCase()) {
    case 'string':
      return 'scripted';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return false;
    case 'array':
      return [exampleOf(items)];
    default:
      return null;
  }
}
