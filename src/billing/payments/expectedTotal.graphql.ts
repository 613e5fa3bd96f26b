/** The field of inputs that charge what a preview showed. */
export const expectedTotalField = {
  nullable: true,
  description:
    'The total that was shown. If another one would be charged now, nothing happens, and the error `amount_changed` has ' +
    'the present one in `total` of its issue.',
};
