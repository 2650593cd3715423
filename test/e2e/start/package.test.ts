import { packageExtension } from '../../support/package/vsix.ts';
import { describeDemo } from '../demoFlow.ts';

describeDemo('the demo of the packaged extension, installed in a stock VS Code', async () => {
  const vsix = 'test-results/vitrine.vsix';
  await packageExtension(vsix);
  return { vsix, driver: false };
});
