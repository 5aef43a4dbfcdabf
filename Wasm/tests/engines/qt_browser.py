"""Shows a browser window of QtWebEngine until the process is ended. The tests drive it at the port in
QTWEBENGINE_REMOTE_DEBUGGING."""
import sys

from PyQt5.QtCore import QUrl
from PyQt5.QtWebEngineWidgets import QWebEngineView
from PyQt5.QtWidgets import QApplication

application = QApplication(sys.argv)
view = QWebEngineView()
view.resize(int(sys.argv[1]), int(sys.argv[2]))
view.setUrl(QUrl("about:blank"))
view.show()
sys.exit(application.exec_())
