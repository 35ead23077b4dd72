package tutti.coll.tree;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Verdict;

/**
 * The module of trees: k-nomial and k-ary, pipelined in segments.
 *
 * <p>Stateless.
 */
@Component(property = CollModule.NAME + "=" + TreeModule.MODULE)
@ProvidesCollectives(value = TreeModule.MODULE, operations = {})
public final class TreeModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "tree";

    /** Made by Declarative Services. */
    public TreeModule() {
        // nothing to acquire
    }

    @Override
    public Verdict query(final CollComm comm) {
        return new Verdict.Declined("has no algorithms yet");
    }
}
