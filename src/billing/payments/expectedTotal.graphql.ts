/** The argument of mutations that charge what a preview showed. */
export const expectedTotalArg = {
  nullable: true,
  description:
    'The total that was shown. If another one would be charged now, nothing happens, and the error `amount_changed` has ' +
    'the present one in `total` of its issue.',
};
