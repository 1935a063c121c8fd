// Runs before each test file that Node loads itself: turns source maps off, which the test runner
// turns on. Node keeps the lines of TypeScript, so they change nothing but the cost of every stack
// and of every generated function.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(false);
