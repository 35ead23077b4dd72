package tutti.coll.smp;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Verdict;

/**
 * The module that knows the machine: shared memory inside a node, hierarchy across nodes.
 *
 * <p>Stateless.
 */
@Component(property = CollModule.NAME + "=" + SmpModule.MODULE)
@ProvidesCollectives(value = SmpModule.MODULE, operations = {})
public final class SmpModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "smp";

    /** Made by Declarative Services. */
    public SmpModule() {
        // nothing to acquire
    }

    @Override
    public Verdict query(final CollComm comm) {
        return new Verdict.Declined("has no algorithms yet");
    }
}
