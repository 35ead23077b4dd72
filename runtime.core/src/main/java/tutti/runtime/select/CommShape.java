package tutti.runtime.select;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.runtime.locality.RankLevels;

/**
 * The shape of a communicator, as one of its ranks sees it.
 *
 * @param name        the communicator's name
 * @param origin      how the communicator was made
 * @param parent      name of the communicator that it is a part or a duplicate of; null if there is none
 * @param rank        this rank in its group
 * @param size        the size of this rank's group
 * @param levels      the levels of locality of this rank's group
 * @param level       name of the innermost level of which one domain has all ranks, those of both groups: a value of
 *                    {@link tutti.runtime.policy.RuleCondition#LEVEL}; equal on all ranks
 * @param nodes       the nodes of this rank's group, and then those of the remote group of an intercommunicator
 */
public record CommShape(String name, CollComm.Origin origin, @Nullable String parent, int rank, int size, RankLevels levels,
    String level, RankNodes nodes) {

    /** Returns whether it is an intercommunicator. */
    boolean isInter() {
        return remoteSize() > 0;
    }

    /** Returns the size of the remote group of an intercommunicator; 0 for an intracommunicator. */
    int remoteSize() {
        return nodes.size() - size;
    }

    /** Returns the node of a rank of this rank's group. */
    int nodeOf(final int member) {
        return nodes.nodeOf(Objects.checkIndex(member, size));
    }

    /** Returns the number of ranks of this rank's group of an intercommunicator; 0 for an intracommunicator. */
    int group() {
        return isInter() ? size() : 0;
    }
}
