/** The version of the program, the same as in package.json. Between two releases it is that of the last one. */
export const version = '0.9.0';
