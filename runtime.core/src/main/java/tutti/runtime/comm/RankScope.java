package tutti.runtime.comm;

/** Implemented by the class loader of a rank's program, so that a class defined per rank finds its rank from any thread. */
public interface RankScope {

    /** The rank whose program this loader loads. */
    Rank rank();
}
