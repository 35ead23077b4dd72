package tutti.runtime.comm;

import java.util.stream.Stream;
import tutti.runtime.ContractSuite;

/** The shapes and groups of ranks in which the modules are tested: a few that have every placement, and all of them in profile {@code nightly}. */
final class TestedShapes {
    private static final boolean ALL = Boolean.getBoolean("tutti.nightly");
    /** Most ranks of the few shapes: a number that is no power of two, with nodes of different sizes. */
    private static final int FEW = 5;
    /** Most ranks of both groups together. */
    private static final int FEW_OF_BOTH = 7;

    private TestedShapes() {}

    static Stream<ContractSuite.Shape> shapes() {
        return ContractSuite.shapes().filter(s -> ALL || s.ranks() <= FEW);
    }

    static Stream<ContractSuite.Groups> groups() {
        return ContractSuite.groups().filter(g -> ALL || g.first() + g.second() <= FEW_OF_BOTH);
    }
}
