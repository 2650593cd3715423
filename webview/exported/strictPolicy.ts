/** Import it before any schema is made: zod tries to compile them, which the page's policy forbids and reports. */
import * as z from 'zod';

z.config({ jitless: true });
