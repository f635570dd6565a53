/** Of `coursectl backup`. */
export const backupOptions = {
  '--print-dump': 'on MySQL and MariaDB: print the command that dumps the database, and end',
};
