package tutti.runtime;

import java.util.stream.Stream;

/**
 * The shapes and groups of ranks in which the modules of this project are tested: a few that have every placement, and all of them in profile
 * {@code nightly}.
 */
public final class TestedShapes {
    private static final boolean ALL = Boolean.getBoolean("tutti.nightly");
    /** Most ranks of the few shapes: a number that is no power of two, with nodes of different sizes. */
    private static final int FEW = 5;
    /** Most ranks of both groups together. */
    private static final int FEW_OF_BOTH = 7;

    private TestedShapes() {}

    /** Returns the shapes. */
    public static Stream<ContractSuite.Shape> shapes() {
        return ContractSuite.shapes().filter(s -> ALL || s.ranks() <= FEW);
    }

    /** Returns the groups of intercommunicators. */
    public static Stream<ContractSuite.Groups> groups() {
        return ContractSuite.groups().filter(g -> ALL || g.first() + g.second() <= FEW_OF_BOTH);
    }
}
