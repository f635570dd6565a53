/**
 * What migrations, seeders and the settings of sequelize-cli use of the program: `dist/for-migrations.js`, which stays where it is
 * however the rest is built.
 */
export { loadConfig } from '../../config/config.js';
export { AppError } from '../../errors.js';
export { certificateCode } from '../../schemas/certificate.js';
export { phoneKey, searchKey } from '../../schemas/keys.js';
export { indexedWords, storedWords } from '../../schemas/search-words.js';
export { sortKey } from '../../schemas/sort-key.js';
export { sequelizeOptions } from '../connection.js';
