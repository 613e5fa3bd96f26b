import type { VatRegister, VatIdAnswer } from '../../../src/providers/vies.ts';
import type { Fate } from './fate.ts';
import type { Random } from '../../../src/lib/random.ts';

/** A register of VAT ids with random answers; an id may become known or unknown, and the register may not respond. */
export interface RandomRegister extends VatRegister {
  /** The probability that a question has no answer. */
  loss: number;
}

/** Opens a register; `fate` may end the service before or after an answer. */
export function openVatRegister(random: Random, fate: Fate): RandomRegister {
  let questions = 0;
  const ask = async (): Promise<VatIdAnswer> => {
    fate.tick();
    const isLost = random.chance(register.loss);
    const isValid = random.chance(0.8);
    fate.tick();
    const none = { name: null, address: null };
    if (isLost) return { status: 'unavailable', consultation: null, ...none };
    return { status: isValid ? 'valid' : 'invalid', consultation: `vies-${++questions}`, ...none };
  };
  const register: RandomRegister = { loss: 0.5, ask, askNow: ask, takeRepeats: (most) => most };
  return register;
}
