//! What of a page is taken: its content without menus, scripts and controls, with whole links. Not here: how it is
//! written.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever_rcdom::{Node, NodeData};
use url::Url;

/// Elements that are no content.
const DROPPED: [&str; 28] = [
    "script", "style", "template", "svg", "canvas", "object", "embed", "video", "audio", "map",
    "nav", "dialog", "menu", "input", "button", "select", "textarea", "datalist", "progress",
    "meter", "link", "meta", "base", "head", "title", "applet", "label", "noframes",
];
/// Elements that are the page's own and no content, unless they are within the content.
const AROUND: [&str; 3] = ["header", "footer", "aside"];
/// Roles that say the same.
const DROPPED_ROLES: [&str; 6] = [
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "menu",
    "dialog",
];
/// How deep elements may lie in one another; what is deeper is taken as plain text. Whoever writes the tree goes down
/// it by calls, and a browser stops at 512.
const DEPTH: usize = 256;

/// What is taken.
pub(crate) struct Taken {
    pub(crate) tree: Rc<Node>,
    pub(crate) title: Option<String>,
    /// Whether a heading of the first level is in it.
    pub(crate) has_heading: bool,
    /// The pages that it shows in frames.
    pub(crate) frames: Vec<Url>,
}

impl Taken {
    /// Takes the content out of the page `tree`, which came from `url`.
    pub(crate) fn from(tree: &Rc<Node>, url: &Url) -> Self {
        let mut found = Found {
            base: url.clone(),
            title: None,
            main: None,
            frames: Vec::new(),
        };
        found.look(tree);
        let content = found
            .main
            .clone()
            .filter(|main| !text_of(main).trim().is_empty());
        let is_main = content.is_some();
        let content = content.unwrap_or_else(|| tree.clone());
        let has_heading = prune(&content, &found.base, is_main);
        Self {
            tree: content,
            title: found.title,
            has_heading,
            frames: found.frames,
        }
    }
}

/// What a first look at the whole page finds.
struct Found {
    base: Url,
    title: Option<String>,
    main: Option<Rc<Node>>,
    frames: Vec<Url>,
}

impl Found {
    fn look(&mut self, tree: &Rc<Node>) {
        let page = self.base.clone();
        let mut sources = Vec::new();
        let mut waiting = vec![tree.clone()];
        while let Some(node) = waiting.pop() {
            match tag(&node) {
                Some("base") => {
                    let base = attribute(&node, "href").and_then(|href| page.join(&href).ok());
                    self.base = base.unwrap_or_else(|| page.clone());
                }
                Some("title") if self.title.is_none() => {
                    let words = text_of(&node);
                    let words: Vec<&str> = words.split_whitespace().collect();
                    self.title = Some(words.join(" ")).filter(|title| !title.is_empty());
                }
                Some("main") if self.main.is_none() => self.main = Some(node.clone()),
                Some("frame" | "iframe") => sources.extend(attribute(&node, "src")),
                _ if self.main.is_none() && attribute(&node, "role").as_deref() == Some("main") => {
                    self.main = Some(node.clone());
                }
                // A title in a drawing is not the page's.
                Some("svg" | "template") => continue,
                _ => {}
            }
            waiting.extend(node.children.borrow().iter().rev().cloned());
        }
        let frames = sources
            .iter()
            .filter_map(|source| self.base.join(source).ok());
        self.frames = frames
            .filter(|frame| matches!(frame.scheme(), "http" | "https"))
            .collect();
    }
}

/// Takes out of `content` what is none, and tells whether a heading of the first level is left.
fn prune(content: &Rc<Node>, base: &Url, is_within: bool) -> bool {
    let mut has_heading = false;
    let mut waiting = vec![(content.clone(), 0, is_within)];
    while let Some((node, depth, is_within)) = waiting.pop() {
        let name = tag(&node).unwrap_or_default();
        has_heading |= name == "h1" && !text_of(&node).trim().is_empty();
        if depth >= DEPTH {
            let text = text_node(&node, text_of(&node));
            node.children.replace(vec![text]);
            continue;
        }
        let is_within = is_within || matches!(name, "article" | "main");
        node.children
            .borrow_mut()
            .retain(|child| is_content(child, is_within));
        match name {
            "a" => complete(&node, "href", base),
            "img" => complete(&node, "src", base),
            "pre" => fence(&node),
            _ => {}
        }
        let children = node.children.borrow();
        waiting.extend(
            children
                .iter()
                .map(|child| (child.clone(), depth + 1, is_within)),
        );
    }
    has_heading
}

/// Classes of what is only there for a browser: numbers of lines, and links of a heading to itself.
const DROPPED_CLASSES: [&str; 6] = [
    "gutter",
    "lineno",
    "linenos",
    "line-numbers",
    "headerlink",
    "anchorjs-link",
];

fn is_content(node: &Rc<Node>, is_within: bool) -> bool {
    let Some(name) = tag(node) else {
        return !matches!(
            node.data,
            NodeData::Comment { .. } | NodeData::ProcessingInstruction { .. }
        );
    };
    let style = || {
        attribute(node, "style")
            .unwrap_or_default()
            .replace(' ', "")
    };
    let is_hidden = attribute(node, "hidden").is_some()
        || attribute(node, "aria-hidden").as_deref() == Some("true")
        || style().contains("display:none");
    let role = attribute(node, "role");
    let classes = attribute(node, "class").unwrap_or_default();
    let is_aid = classes
        .split_whitespace()
        .any(|class| DROPPED_CLASSES.contains(&class));
    let is_around = AROUND.contains(&name) && !is_within;
    // A picture without words says nothing here.
    let is_silent = name == "img" && attribute(node, "alt").is_none_or(|alt| alt.trim().is_empty());
    !DROPPED.contains(&name)
        && !matches!(name, "frame" | "iframe")
        && !is_hidden
        && !is_around
        && !is_silent
        && !is_aid
        && !role.is_some_and(|role| DROPPED_ROLES.contains(&role.as_str()))
}

/// Makes the URL in an attribute whole, or takes it out where it leads nowhere else.
fn complete(node: &Rc<Node>, name: &str, base: &Url) {
    let NodeData::Element { attrs, .. } = &node.data else {
        return;
    };
    let mut attributes = attrs.borrow_mut();
    let whole = |value: &str| {
        let value = value.trim();
        let url = base.join(value).ok()?;
        let leads = !value.is_empty() && !value.starts_with('#');
        (leads && matches!(url.scheme(), "http" | "https" | "mailto")).then(|| url.to_string())
    };
    attributes.retain_mut(|attribute| {
        if &*attribute.name.local != name {
            // A tooltip repeats what the text says.
            return &*attribute.name.local != "title";
        }
        match whole(&attribute.value) {
            Some(url) => {
                attribute.value = url.into();
                true
            }
            None => false,
        }
    });
}

/// Puts what stands in a `pre` into a `code`, as most pages do: then it is written as a block.
fn fence(node: &Rc<Node>) {
    let has_code = node
        .children
        .borrow()
        .iter()
        .any(|child| tag(child) == Some("code"));
    if has_code {
        return;
    }
    let code = Rc::new(Node {
        parent: Cell::new(Some(Rc::downgrade(node))),
        children: RefCell::default(),
        data: NodeData::Element {
            name: QualName::new(None, ns!(html), local_name!("code")),
            attrs: RefCell::new(Vec::<Attribute>::new()),
            template_contents: RefCell::default(),
            mathml_annotation_xml_integration_point: false,
        },
    });
    let text = text_node(&code, text_of(node));
    code.children.replace(vec![text]);
    node.children.replace(vec![code]);
}

fn text_node(parent: &Rc<Node>, text: String) -> Rc<Node> {
    Rc::new(Node {
        parent: Cell::new(Some(Rc::downgrade(parent))),
        children: RefCell::default(),
        data: NodeData::Text {
            contents: RefCell::new(text.into()),
        },
    })
}

pub(crate) fn tag(node: &Rc<Node>) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

pub(crate) fn attribute(node: &Rc<Node>, name: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attributes = attrs.borrow();
    let found = attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

/// All text in a node, without that of scripts.
pub(crate) fn text_of(node: &Rc<Node>) -> String {
    let mut text = String::new();
    let mut waiting = vec![node.clone()];
    while let Some(node) = waiting.pop() {
        if let NodeData::Text { contents } = &node.data {
            text.push_str(&contents.borrow());
        }
        let is_text = !matches!(tag(&node), Some("script" | "style" | "template"));
        if is_text {
            waiting.extend(node.children.borrow().iter().rev().cloned());
        }
    }
    text
}
