package tutti.runtime.process.rewrite;

/** Computes the lengths of JVM instructions. */
final class Instructions {
    private static final int TABLESWITCH = 0xaa;
    private static final int LOOKUPSWITCH = 0xab;
    private static final int WIDE = 0xc4;
    private static final int IINC = 0x84;
    /** The lengths, one digit per opcode from 0; 0 where the length is not fixed. */
    private static final String LENGTHS =
        "1111111111111111" + "2323322222111111" + "1111111111111111" + "1111112222211111"
            + "1111111111111111" + "1111111111111111" + "1111111111111111" + "1111111111111111"
            + "1111311111111111" + "1111111113333333" + "3333333332001111" + "1133333335532311"
            + "3311043355";

    private Instructions() {}

    /**
     * Returns the length of an instruction in bytes.
     *
     * @param code  the array that holds the instruction
     * @param at    offset of the instruction
     * @param start offset of the code of its method
     * @throws IllegalArgumentException when the instruction is not valid
     */
    static int length(final byte[] code, final int at, final int start) {
        final int opcode = code[at] & 0xff;
        if (opcode >= LENGTHS.length()) {
            throw new IllegalArgumentException("unknown instruction: opcode=" + opcode);
        }
        final int length = switch (opcode) {
            case TABLESWITCH -> {
                final int operands = aligned(at, start);
                yield operands - at + 12 + 4 * (ConstantPool.u4(code, operands + 8) - ConstantPool.u4(code, operands + 4) + 1);
            }
            case LOOKUPSWITCH -> {
                final int operands = aligned(at, start);
                yield operands - at + 8 + 8 * ConstantPool.u4(code, operands + 4);
            }
            case WIDE -> (code[at + 1] & 0xff) == IINC ? 6 : 4;
            default -> LENGTHS.charAt(opcode) - '0';
        };
        if (length <= 0) {
            throw new IllegalArgumentException("instruction out of range: opcode=" + opcode + ", bytes=" + length);
        }
        return length;
    }

    private static int aligned(final int at, final int start) {
        return start + (at + 4 - start & ~3);
    }
}
