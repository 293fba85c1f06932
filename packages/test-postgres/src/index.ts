export { startPostgres, type TestPostgres } from './test-postgres.js';
