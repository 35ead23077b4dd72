package tutti.runtime.checkpoint.memory;

import java.lang.foreign.MemorySegment;

/**
 * A checkpoint as one rank holds it: its own state, and checks of those of its group.
 *
 * @param number  number of the checkpoint
 * @param point   number of the point in the program
 * @param groups  the groups of all ranks
 * @param lengths length of the state of each rank, in bytes
 * @param state   the state of this rank
 * @param checks  the checks
 */
record HeldState(int number, long point, BuddyGroups groups, long[] lengths, MemorySegment state, MemorySegment checks) {
}
