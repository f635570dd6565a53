/**
 * Exports for migrations, seeders and the settings of sequelize-cli. The build writes them to `dist/for-migrations.js`,
 * which must keep its path.
 */
export { loadConfig } from '../../config/config.js';
export { AppError } from '../../errors.js';
export { certificateCode } from '../../schemas/certificate.js';
export { phoneKey, searchKey } from '../../schemas/keys.js';
export { indexedWords, storedWords } from '../../schemas/search-words.js';
export { sortKey } from '../../schemas/sort-key.js';
export { sequelizeOptions } from '../connection.js';
