package tutti.coll;

/**
 * The instance of a module that needs no initialization and keeps no state.
 *
 * @param table the algorithms that the module offers
 */
record TableOnly(AlgorithmTable table) implements CollInstance {
    @Override
    public boolean servesDuplicates() {
        return true;
    }
}
