import { describeDemo } from '../demoFlow.ts';

describeDemo('the demo, from the palette to the next turn', () => Promise.resolve({}));
